/**
 * Narrows rules and findings down by status, level and text. The state is the fragment of the address
 * (`#status=failed,warned&level=documented&text=key`), so that a narrowed view can be linked. A fragment that names a rule
 * shows it, whatever the filters.
 */
export const filterScript = `
whenRead(() => {
  const form = document.getElementById('filters')
  if (form === null) return

  const rows = [...document.querySelectorAll('tr[data-rule]')]
  const findings = new Map([...document.querySelectorAll('[data-findings]')].map((one) => [one.dataset.findings, one]))
  const texts = new Map(rows.map((row) => [
    row,
    (row.textContent + ' ' + (findings.get(row.dataset.rule)?.textContent ?? '')).toLowerCase(),
  ]))
  const boxes = [...form.querySelectorAll('input[type=checkbox]')]
  const words = document.getElementById('filter-text')
  const shown = document.getElementById('shown')
  const chosen = (name) => boxes.filter((box) => box.name === name && box.checked).map((box) => box.value)

  const apply = () => {
    const [statuses, levels, text] = [chosen('status'), chosen('level'), words.value.trim().toLowerCase()]
    let count = 0
    for (const row of rows) {
      const fits = (statuses.length === 0 || statuses.includes(row.dataset.status)) &&
        (levels.length === 0 || levels.includes(row.dataset.level)) && texts.get(row).includes(text)
      row.hidden = !fits
      const found = findings.get(row.dataset.rule)
      if (found !== undefined) found.hidden = !fits
      if (fits) count += 1
    }
    for (const body of document.querySelectorAll('.matrix tbody')) {
      body.hidden = body.querySelector('tr[data-rule]:not([hidden])') === null
    }
    shown.textContent = count + ' of ' + rows.length + ' rules shown'
    document.getElementById('none-shown').hidden = count > 0
  }

  const remember = () => {
    const given = [['status', chosen('status').join(',')], ['level', chosen('level').join(',')], ['text', words.value.trim()]]
    const state = given.filter(([, value]) => value !== '')
      .map(([name, value]) => name + '=' + encodeURIComponent(value).replaceAll('%2C', ',')).join('&')
    history.replaceState(null, '', state === '' ? location.href.replace(/#.*$/s, '') : '#' + state)
  }

  const restore = (given) => {
    for (const box of boxes) box.checked = (given.get(box.name) ?? '').split(',').includes(box.value)
    words.value = given.get('text') ?? ''
    apply()
  }

  const named = () => {
    try { return document.getElementById(decodeURIComponent(location.hash.slice(1))) } catch { return null }
  }

  const follow = () => {
    const fragment = location.hash.slice(1)
    if (/^(status|level|text)=/.test(fragment)) return restore(new URLSearchParams(fragment))
    const place = named()
    if (place === null || place.closest('[hidden]') === null) return
    restore(new URLSearchParams())
    place.scrollIntoView()
  }

  form.addEventListener('submit', (event) => event.preventDefault())
  form.addEventListener('input', () => { apply(); remember() })
  form.addEventListener('reset', (event) => { event.preventDefault(); restore(new URLSearchParams()); remember() })
  addEventListener('hashchange', follow)
  follow()
})
`
