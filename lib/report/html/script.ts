import { copyScript } from './script-copy.ts'
import { filterScript } from './script-filter.ts'

/** The theme that was chosen before is there before anything is drawn. */
const themeScript = `
const root = document.documentElement
root.classList.add('js')
const stored = (() => { try { return localStorage.getItem('theme') } catch { return null } })()
if (stored === 'light' || stored === 'dark') root.dataset.theme = stored
whenRead(() => {
  for (const choice of document.querySelectorAll('#themes input')) {
    choice.checked = choice.value === (root.dataset.theme ?? 'system')
    choice.addEventListener('change', () => {
      if (choice.value === 'system') delete root.dataset.theme
      else root.dataset.theme = choice.value
      // A browser may keep nothing for files; the choice then lasts as long as the page.
      try { localStorage.setItem('theme', choice.value) } catch {}
    })
  }
})
`

/** Paper has no disclosure: every finding is open on it, and as before afterwards. */
const printScript = `
let closed = []
addEventListener('beforeprint', () => {
  closed = [...document.querySelectorAll('details.finding:not([open])')]
  for (const one of closed) one.open = true
})
addEventListener('afterprint', () => {
  for (const one of closed) one.open = false
})
`

/** The script of the page, which can be read without it: theme, filters, copying and printing. */
export const pageScript = `(() => {
'use strict'
const whenRead = (work) => addEventListener('DOMContentLoaded', work)
${[themeScript, filterScript, copyScript, printScript].map((part) => `;(() => {${part}})()`).join('\n')}
})()`
