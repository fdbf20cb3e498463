import { printableLines } from '../../text/printable.ts'

/** Non-characters that count as printable but that XML 1.0 forbids even as references. Source: XML 1.0, 2.2. */
const forbidden = /[\uFFFE\uFFFF]/g

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

/** An element with a name, attributes, and either text or child elements. */
export interface Element {
  readonly name: string
  readonly attributes?: Readonly<Record<string, string | number>>
  readonly content?: string | readonly Element[]
}

/** Writes well-formed XML 1.0. Invisible characters are escaped, and white space is preserved. */
export function xmlDocument(root: Element): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${elementText(root, '')}\n`
}

function elementText({ name, attributes = {}, content = '' }: Element, indent: string): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${attributeText(`${value}`)}"`)
  const open = `${indent}<${name}${given.join('')}`
  if (content.length === 0) return `${open}/>`
  if (typeof content === 'string')
    return `${open}>${wellFormed(content).replace(/[&<>\r]/g, reference)}</${name}>`

  const children = content.map((child) => elementText(child, `${indent}  `))
  return `${open}>\n${children.join('\n')}\n${indent}</${name}>`
}

/** Writes white space as character references, because a parser would turn it into spaces. */
function attributeText(text: string): string {
  return wellFormed(text).replace(/[&<>"'\t\n\r]/g, reference)
}

function wellFormed(text: string): string {
  return text.split('\r').map(printableLines).join('\r').replace(forbidden, '')
}

function reference(character: string): string {
  return references[character] ?? ''
}
