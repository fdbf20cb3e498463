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

  // Narrows rules and causes down. The state is the fragment of the address (`#status=failed,warned&text=key`), so that a view can be
  // linked, and the page says that it is filtered. A fragment that names a place shows it, whatever the filters.
  function startFilters(form) {
    const all = [...document.querySelectorAll('[data-rule], [data-cause]')]
    const rules = all.filter(({ dataset }) => 'rule' in dataset)
    const boxes = [...form.querySelectorAll('input[type=checkbox]')]
    const words = form.elements.namedItem('text')
    const passed = document.getElementById('passed')
    const texts = new Map(all.map((one) => [one, one.textContent.toLowerCase()]))
    const hasShown = (part) =>
      part.querySelector('[data-rule]:not([hidden]), [data-cause]:not([hidden])') !== null
    const chosen = () => boxes.filter((box) => box.checked).map((box) => box.value)

    const apply = () => {
      const [statuses, text] = [chosen(), words.value.trim().toLowerCase()]
      const isFiltered = statuses.length > 0 || text !== ''
      for (const one of all) {
        const hasStatus = statuses.length === 0 || statuses.includes(one.dataset.status)
        one.hidden = !hasStatus || !texts.get(one).includes(text)
      }
      for (const part of document.querySelectorAll('.matrix tbody, .matrix table, .causes')) {
        part.hidden = !hasShown(part)
      }
      if (passed !== null) {
        passed.hidden = !hasShown(passed)
        if (isFiltered) passed.open = !passed.hidden
      }
      const [count, ofCauses] = [rules, all.filter((one) => !rules.includes(one))].map((some) => [
        some.filter((one) => !one.hidden).length,
        some.length,
      ])
      const causes = ofCauses[1] === 0 ? '' : `, ${ofCauses.join(' of ')} causes`
      document.getElementById('shown').textContent = isFiltered
        ? `Filtered: ${count.join(' of ')} rules${causes} shown`
        : ''
      document.getElementById('clear').hidden = !isFiltered
      document.getElementById('none-shown').hidden = all.some((one) => !one.hidden)
    }

    const remember = () => {
      const state = [
        ['status', chosen().join(',')],
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
      if (/^(status|text)=/.test(fragment)) return restore(new URLSearchParams(fragment))
      const place = document.getElementById(fragment)
      if (place === null) return
      if (place.closest('[hidden]') !== null) restore(new URLSearchParams())
      for (let fold = place.closest('details'); fold !== null; fold = fold.parentElement.closest('details')) {
        fold.open = true
      }
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

  // Paper has no disclosure: what it has to say is open on it, and as before afterwards.
  let closed = []
  const openAll = (open) => {
    if (open) closed = [...document.querySelectorAll('details.printed:not([open])')]
    for (const one of closed) one.open = open
  }
  addEventListener('beforeprint', () => openAll(true))
  addEventListener('afterprint', () => openAll(false))

  addEventListener('DOMContentLoaded', () => {
    startThemes()
    const form = document.getElementById('filters')
    if (form !== null) startFilters(form)
    document.addEventListener('click', (event) => {
      const button = event.target.closest?.('.copyable button')
      if (button) void copyBeside(button)
    })
  })
})()
