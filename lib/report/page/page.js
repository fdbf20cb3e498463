// The script of the page, which can be read without it: buttons that copy a text.
addEventListener('DOMContentLoaded', () => {
  const said = document.getElementById('copied')
  for (const box of document.querySelectorAll('.copyable')) {
    const [text] = box.children
    const name = text.getAttribute('aria-label')
    const button = document.createElement('button')
    button.textContent = 'Copy'
    button.setAttribute('aria-label', `Copy ${name}`)
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(text.textContent)
        button.textContent = 'Copied'
      } catch {
        // Without a clipboard the text can be copied by hand.
        getSelection().selectAllChildren(text)
        button.textContent = 'Selected'
      }
      said.textContent = `${button.textContent} ${name}`
    }
    button.addEventListener('click', () => void copy())
    box.append(button)
  }
})
