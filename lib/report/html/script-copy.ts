/**
 * Copies the text beside a button. A page from the file system may have no clipboard; then the old way, and where that is
 * refused, too, the text is selected, to be copied by hand.
 */
export const copyScript = `
whenRead(() => {
  const told = document.getElementById('copied')

  const select = (code) => {
    const range = document.createRange()
    range.selectNodeContents(code)
    const selection = getSelection()
    selection.removeAllRanges()
    selection.addRange(range)
  }

  const copied = async (code) => {
    try {
      await navigator.clipboard.writeText(code.textContent)
      return true
    } catch {
      select(code)
      return document.execCommand('copy')
    }
  }

  document.addEventListener('click', async (event) => {
    const button = event.target.closest?.('.copyable button')
    if (!button) return
    const done = await copied(button.parentElement.querySelector('code'))
    if (done) getSelection().removeAllRanges()
    button.textContent = done ? 'Copied' : 'Selected'
    told.textContent = done ? button.getAttribute('aria-label').replace('Copy', 'Copied') : 'Selected, to be copied by hand'
    setTimeout(() => { button.textContent = 'Copy'; told.textContent = '' }, 2000)
  })
})
`
