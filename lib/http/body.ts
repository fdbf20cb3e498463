import { isUtf8 } from 'node:buffer'
import { duplicateNames, skimJson } from '../text/json-parts.ts'
import type { Decoded } from './decode.ts'
import type { Body, Response } from './exchange.ts'

/** Maximum length of a body to parse completely. A run keeps many answers, and a parsed body needs many times the memory of its text. */
const wholeUpTo = 16 * 1024

/** Must not precede JSON (RFC 8259, section 8.1); skipped here. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** Reads decoded content as text and as JSON; never throws. */
export function readBody(content: Buffer): Pick<Response, 'text' | 'body'> {
  const text = content.toString('utf8')

  return { text, body: bodyOf(content, text) }
}

function bodyOf(content: Buffer, text: string): Body {
  if (content.length === 0) return { kind: 'empty' }
  if (!isUtf8(content)) return { kind: 'not-json', because: 'it is not UTF-8' }

  const marked = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  return text.length > wholeUpTo ? skimmed(marked) : whole(marked)
}

function whole(text: string): Body {
  try {
    const value: unknown = JSON.parse(text)
    const duplicates = duplicateNames(text)
    return { kind: 'json', value, ...(duplicates.length === 0 ? {} : { duplicates }) }
  } catch (error) {
    return { kind: 'not-json', because: reason(text, error) }
  }
}

function skimmed(text: string): Body {
  const json = skimJson(text)
  if (json.kind === 'json') return json
  return { kind: 'not-json', because: reasonAt(text, json.at) }
}

/** Reads decoded content. If content of `length` bytes cannot be decoded, the text is a note. */
export function readDecoded(decoded: Decoded, length: number): Pick<Response, 'text' | 'body'> {
  if (decoded.kind === 'content') return readBody(decoded.content)
  const { because } = decoded
  return { text: `(${length} bytes: ${because})`, body: { kind: 'damaged', because } }
}

/** Parses the whole JSON value of an answer whose body is JSON. */
export function wholeValue({ text }: Pick<Response, 'text'>): unknown {
  const value: unknown = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  return value
}

/** Does not use V8's message, because it quotes the text, which may contain a credential, and differs between versions of Node. */
function reason(text: string, error: unknown): string {
  if (!(error instanceof SyntaxError)) return 'it is too deep or too large to be read'
  if (/Unexpected end|Unterminated/.test(error.message)) return reasonAt(text, text.length)
  if (isMarkup(text)) return markup

  const position = /at position (\d+)/.exec(error.message)?.[1]
  return position === undefined ? 'it is not JSON' : `it is not JSON from character ${position} on`
}

function reasonAt(text: string, at: number): string {
  if (at >= text.length) return 'it ends in the middle of a value'
  return isMarkup(text) ? markup : `it is not JSON from character ${at} on`
}

const markup = 'it begins with "<", as HTML and XML do'

function isMarkup(text: string): boolean {
  return text.trimStart().startsWith('<')
}
