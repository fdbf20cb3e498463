import { printableLines } from '../settings/printable.ts'

/** Non-characters: printable, but forbidden by XML 1.0 even as a reference. Source: XML 1.0, 2.2. */
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

/** An element: its name, its attributes, and either text or elements. */
export interface Element {
  readonly name: string
  readonly attributes?: Readonly<Record<string, string | number>>
  readonly content?: string | readonly Element[]
}

/** A document of XML 1.0, well-formed whatever the texts hold: invisible characters are written as escapes, white space as it is. */
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

/** White space is written as references: a parser would turn it into spaces. */
function attributeText(text: string): string {
  return wellFormed(text).replace(/[&<>"'\t\n\r]/g, reference)
}

function contentText(text: string): string {
  return wellFormed(text).replace(/[&<>\r]/g, reference)
}

function wellFormed(text: string): string {
  return text.split('\r').map(printableLines).join('\r').replace(forbidden, '')
}

function reference(character: string): string {
  return references[character] ?? ''
}
