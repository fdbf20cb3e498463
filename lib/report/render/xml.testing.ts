export interface ParsedElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly ParsedElement[]
  readonly text: string
}

const legal = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
const tag = /<(?<end>\/)?(?<name>[a-z][\w-]*)(?<attributes>(?: [A-Za-z][\w-]*="[^"<]*")*)(?<empty>\/)?>/y
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Reads the subset of XML 1.0 that reports use. Throws on anything else. */
export function parseXml(text: string): ParsedElement {
  if (!legal.test(text)) throw new SyntaxError('a character that XML 1.0 forbids')
  if (!text.startsWith(declaration)) throw new SyntaxError('no declaration')

  const [element, end] = elementAt(text, declaration.length)
  if (text.slice(end).trim() !== '') throw new SyntaxError('text follows the root')
  return element
}

function elementAt(text: string, start: number): readonly [ParsedElement, number] {
  const open = tagAt(text, start)
  if (open.end) throw new SyntaxError(`</${open.name}> closes nothing`)
  const { name, attributes } = open
  if (open.empty) return [{ name, attributes, children: [], text: '' }, open.after]

  const children: ParsedElement[] = []
  const texts: string[] = []
  for (let at = open.after; ;) {
    const next = text.indexOf('<', at)
    if (next === -1) throw new SyntaxError(`<${name}> is not closed`)
    texts.push(characters(text.slice(at, next)))
    if (text[next + 1] === '/') {
      const close = tagAt(text, next)
      if (close.name !== name) throw new SyntaxError(`<${name}> is closed by </${close.name}>`)
      return [{ name, attributes, children, text: texts.join('') }, close.after]
    }
    const [child, after] = elementAt(text, next)
    children.push(child)
    at = after
  }
}

function tagAt(text: string, start: number) {
  tag.lastIndex = start
  const groups = tag.exec(text)?.groups
  if (groups === undefined) throw new SyntaxError(`no tag at ${start}: ${text.slice(start, start + 40)}`)
  return {
    name: groups['name'] ?? '',
    attributes: attributesOf(groups['attributes'] ?? ''),
    end: groups['end'] !== undefined,
    empty: groups['empty'] !== undefined,
    after: tag.lastIndex,
  }
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {}
  for (const [, name = '', value = ''] of text.matchAll(/ ([A-Za-z][\w-]*)="([^"]*)"/g)) {
    if (Object.hasOwn(attributes, name)) throw new SyntaxError(`${name} is given twice`)
    attributes[name] = characters(value.replaceAll(/[\t\n\r]/g, ' '))
  }
  return attributes
}

function characters(text: string): string {
  if (text.includes(']]>')) throw new SyntaxError(']]> in text')
  return text.replaceAll(/&(?:#(\d+);|([a-z]+);)?/g, (whole, code: string | undefined, name = '') => {
    const character = code === undefined ? entities[name] : String.fromCodePoint(Number(code))
    if (character === undefined || !legal.test(character))
      throw new SyntaxError(`${whole} is an unknown reference`)
    return character
  })
}

/** All elements with a given name inside an element, in document order. */
export function elementsOf(element: ParsedElement, name: string): readonly ParsedElement[] {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...elementsOf(child, name),
  ])
}
