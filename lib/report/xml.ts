/** What XML 1.0 forbids even as a reference; halves of surrogate pairs and non-characters among them. Source: XML 1.0, 2.2. */
const forbidden = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** An element: its name, its attributes, and either text or elements. */
export interface Element {
  readonly name: string
  readonly attributes?: Readonly<Record<string, string | number>>
  readonly content?: string | readonly Element[]
}

/** A document of XML 1.0, well-formed whatever the texts hold: what may not stand in one is dropped, the rest escaped. */
export function xmlDocument(root: Element): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${elementText(root, '')}\n`
}

function elementText({ name, attributes = {}, content = '' }: Element, indent: string): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${attributeText(`${value}`)}"`)
  const open = `${indent}<${name}${given.join('')}`
  if (content.length === 0) return `${open}/>`
  if (typeof content === 'string') return `${open}>${contentText(content)}</${name}>`

  const children = content.map((child) => elementText(child, `${indent}  `))
  return `${open}>\n${children.join('\n')}\n${indent}</${name}>`
}

/** White space is written as references, for a parser turns it into spaces otherwise. */
function attributeText(text: string): string {
  return text.replace(forbidden, '').replace(/[&<>"'\t\n\r]/g, reference)
}

function contentText(text: string): string {
  return text.replace(forbidden, '').replace(/[&<>\r]/g, reference)
}

function reference(character: string): string {
  return references[character] ?? ''
}
