export interface ParsedElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ParsedElement[]
  text: string
}

const legal = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
const token = /<(\/?)([a-z][\w-]*)((?: [A-Za-z][\w-]*="[^"<]*")*)(\/?)>|([^<]+)/gy
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Reads the subset of XML 1.0 that reports use. Throws on anything else. */
export function parseXml(document: string): ParsedElement {
  const body = document.slice(declaration.length)
  const top: ParsedElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [top]
  let read = 0
  for (const [whole, end, name = '', attributes = '', empty, content] of body.matchAll(token)) {
    const parent = open.at(-1) ?? top
    read += whole.length
    if (content !== undefined) parent.text += characters(content)
    else if (end === '/') refuse(open.pop()?.name !== name, `</${name}> closes something else`)
    else {
      const element = { name, attributes: attributesOf(attributes), children: [], text: '' }
      parent.children.push(element)
      if (empty === '') open.push(element)
    }
  }
  const [root, ...others] = top.children
  refuse(!legal.test(document) || !document.startsWith(declaration), 'this is not XML 1.0')
  refuse(read < body.length, `no tag at ${read}: ${body.slice(read, read + 40)}`)
  refuse(open.length !== 1 || others.length > 0 || top.text.trim() !== '', 'there is not exactly one root')
  return root ?? top
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
