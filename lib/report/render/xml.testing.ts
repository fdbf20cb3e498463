const legal = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
const token = /<(\/?)([a-z][\w-]*)((?: [A-Za-z][\w-]*="[^"<]*")*)(\/?)>|([^<]+)/gy
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Reads the subset of XML 1.0 that reports use. Returns the attributes of its root. Throws on anything else. */
export function parseXml(document: string): Readonly<Record<string, string>> {
  const body = document.slice(declaration.length)
  const roots: Readonly<Record<string, string>>[] = []
  const open: string[] = []
  let read = 0
  for (const [whole, end, name = '', attributes = '', empty, content] of body.matchAll(token)) {
    read += whole.length
    if (content !== undefined)
      refuse(characters(content).trim() !== '' && open.length === 0, 'text at the top')
    else if (end === '/') refuse(open.pop() !== name, `</${name}> closes something else`)
    else {
      const own = attributesOf(attributes)
      if (open.length === 0) roots.push(own)
      if (empty === '') open.push(name)
    }
  }
  const [root = {}, ...others] = roots
  refuse(!legal.test(document) || !document.startsWith(declaration), 'this is not XML 1.0')
  refuse(read < body.length, `no tag at ${read}: ${body.slice(read, read + 40)}`)
  refuse(open.length > 0 || roots.length === 0 || others.length > 0, 'there is not exactly one root')
  return root
}

function refuse(isWrong: boolean, why: string): void {
  if (isWrong) throw new SyntaxError(why)
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const all = [...text.matchAll(/ ([A-Za-z][\w-]*)="([^"]*)"/g)].map(([, name = '', value = '']) => {
    return [name, characters(value.replaceAll(/[\t\n\r]/g, ' '))] as const
  })
  const attributes = Object.fromEntries(all)
  refuse(Object.keys(attributes).length < all.length, `an attribute is given twice: ${text}`)
  return attributes
}

function characters(text: string): string {
  refuse(text.includes(']]>'), ']]> in text')
  return text.replaceAll(/&(?:#(\d+);|([a-z]+);)?/g, (whole, code: string | undefined, name = '') => {
    const character = code === undefined ? entities[name] : String.fromCodePoint(Number(code))
    refuse(character === undefined || !legal.test(character), `${whole} is an unknown reference`)
    return character ?? ''
  })
}
