// The script of the page, which can be read without it: search, copying, and what paper and links unfold.
;(() => {
  'use strict'
  document.documentElement.classList.add('js')

  function startSearch(form) {
    const rows = [...document.querySelectorAll('[data-rule]')]
    const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]))
    form.addEventListener('submit', (event) => event.preventDefault())
    form.addEventListener('input', () => {
      const text = form.elements.namedItem('text').value.trim().toLowerCase()
      for (const row of rows) row.hidden = !texts.get(row).includes(text)
      for (const area of document.querySelectorAll('#rules tbody')) {
        area.hidden = area.querySelector('[data-rule]:not([hidden])') === null
      }
      const shown = rows.filter((row) => !row.hidden).length
      document.getElementById('shown').textContent =
        text === '' ? '' : `${shown} of ${rows.length} rules shown`
    })
  }

  // A link to what is folded unfolds it.
  function follow() {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    const folds = [...document.querySelectorAll('details')].filter((fold) => fold.contains(place))
    for (const fold of folds) fold.open = true
    if (folds.length > 0) place.scrollIntoView()
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
    const said = document.getElementById('copied')
    const done = await copied(button.parentElement.querySelector('code'))
    button.textContent = done ? 'Copied' : 'Selected'
    said.textContent = done
      ? button.getAttribute('aria-label').replace('Copy', 'Copied')
      : 'Selected, to be copied by hand'
    setTimeout(() => {
      button.textContent = 'Copy'
      said.textContent = ''
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
  addEventListener('hashchange', follow)

  addEventListener('DOMContentLoaded', () => {
    const form = document.querySelector('form.filters')
    if (form !== null) startSearch(form)
    follow()
    document.addEventListener('click', (event) => {
      const button = event.target.closest?.('.copyable button')
      if (button) void copyBeside(button)
    })
  })
})()
