// The script of the page, which can be read without it: theme, filters, copying and printing.
;(() => {
  'use strict'
  const root = document.documentElement
  root.classList.add('js')

  // The theme is there before anything is drawn. A browser may keep nothing for files: then it lasts as long as the page.
  const stored = (() => {
    try {
      return localStorage.getItem('theme')
    } catch {
      return null
    }
  })()
  if (stored === 'light' || stored === 'dark') root.dataset.theme = stored

  function startThemes() {
    for (const choice of document.querySelectorAll('#themes input')) {
      choice.checked = choice.value === (root.dataset.theme ?? 'system')
      choice.addEventListener('change', () => {
        if (choice.value === 'system') delete root.dataset.theme
        else root.dataset.theme = choice.value
        try {
          localStorage.setItem('theme', choice.value)
        } catch {}
      })
    }
  }

  // Narrows rules and findings down. The state is the fragment of the address (`#status=failed,warned&text=key`), so that a view can be
  // linked. A fragment that names a rule shows it, whatever the filters.
  function startFilters(form) {
    const rows = [...document.querySelectorAll('tr[data-rule]')]
    const boxes = [...form.querySelectorAll('input[type=checkbox]')]
    const words = form.elements.namedItem('text')
    const found = (row) => document.querySelector(`[data-findings="${row.dataset.rule}"]`)
    const texts = new Map(
      rows.map((row) => [row, `${row.textContent} ${found(row)?.textContent ?? ''}`.toLowerCase()]),
    )
    const chosen = (name) => boxes.filter((box) => box.name === name && box.checked).map((box) => box.value)

    const apply = () => {
      const [statuses, levels, text] = [chosen('status'), chosen('level'), words.value.trim().toLowerCase()]
      for (const row of rows) {
        const { status, level } = row.dataset
        row.hidden =
          (statuses.length > 0 && !statuses.includes(status)) ||
          (levels.length > 0 && !levels.includes(level)) ||
          !texts.get(row).includes(text)
        found(row)?.toggleAttribute('hidden', row.hidden)
      }
      for (const body of document.querySelectorAll('.matrix tbody')) {
        body.hidden = body.querySelector('tr[data-rule]:not([hidden])') === null
      }
      const count = rows.filter((row) => !row.hidden).length
      document.getElementById('shown').textContent = `${count} of ${rows.length} rules shown`
      document.getElementById('none-shown').hidden = count > 0
    }

    const remember = () => {
      const state = [
        ['status', chosen('status').join(',')],
        ['level', chosen('level').join(',')],
        ['text', words.value.trim()],
      ]
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
        .join('&')
      history.replaceState(null, '', state === '' ? location.href.replace(/#.*$/s, '') : `#${state}`)
    }

    const restore = (given) => {
      for (const box of boxes) box.checked = (given.get(box.name) ?? '').split(',').includes(box.value)
      words.value = given.get('text') ?? ''
      apply()
    }

    const follow = () => {
      const fragment = location.hash.slice(1)
      if (/^(status|level|text)=/.test(fragment)) return restore(new URLSearchParams(fragment))
      const place = document.getElementById(fragment)
      if (place === null || place.closest('[hidden]') === null) return
      restore(new URLSearchParams())
      place.scrollIntoView()
    }

    form.addEventListener('submit', (event) => event.preventDefault())
    form.addEventListener('input', () => {
      apply()
      remember()
    })
    form.addEventListener('reset', (event) => {
      event.preventDefault()
      restore(new URLSearchParams())
      remember()
    })
    addEventListener('hashchange', follow)
    follow()
  }

  // A page from the file system may have no clipboard: then the old way, and if that is refused, too, the text stays selected.
  async function copied(code) {
    try {
      await navigator.clipboard.writeText(code.textContent)
      return true
    } catch {
      getSelection().selectAllChildren(code)
      const done = document.execCommand('copy')
      if (done) getSelection().removeAllRanges()
      return done
    }
  }

  async function copyBeside(button) {
    const told = document.getElementById('copied')
    const done = await copied(button.parentElement.querySelector('code'))
    button.textContent = done ? 'Copied' : 'Selected'
    told.textContent = done
      ? button.getAttribute('aria-label').replace('Copy', 'Copied')
      : 'Selected, to be copied by hand'
    setTimeout(() => {
      button.textContent = 'Copy'
      told.textContent = ''
    }, 2000)
  }

  // Paper has no disclosure: every finding is open on it, and as before afterwards.
  let closed = []
  const openAll = (open) => {
    if (open) closed = [...document.querySelectorAll('details.finding:not([open])')]
    for (const one of closed) one.open = open
  }
  addEventListener('beforeprint', () => openAll(true))
  addEventListener('afterprint', () => openAll(false))

  addEventListener('DOMContentLoaded', () => {
    // Only one earlier run is kept: once this page is itself in previous/, its link leads nowhere.
    if (/\/previous\/[^/]*$/.test(location.pathname)) {
      for (const link of document.querySelectorAll('.runs th a')) link.replaceWith(...link.childNodes)
    }
    startThemes()
    const form = document.getElementById('filters')
    if (form !== null) startFilters(form)
    document.addEventListener('click', (event) => {
      const button = event.target.closest?.('.copyable button')
      if (button) void copyBeside(button)
    })
  })
})()
