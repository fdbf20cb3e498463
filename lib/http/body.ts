import { isUtf8 } from 'node:buffer'
import { duplicateNames, skimJson } from '../text/skim-json.ts'
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

  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  const outline = skimJson(json)
  if (outline.kind === 'not-json') return { kind: 'not-json', because: reasonAt(json, outline.at) }
  if (text.length > wholeUpTo) return outline

  const value: unknown = JSON.parse(json)
  const duplicates = duplicateNames(json)
  return { kind: 'json', value, ...(duplicates.length === 0 ? {} : { duplicates }) }
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

/** Does not quote the text, which may contain a credential. */
function reasonAt(text: string, at: number): string {
  if (at >= text.length) return 'it ends in the middle of a value'
  return text.trimStart().startsWith('<')
    ? 'it begins with "<", as HTML and XML do'
    : `it is not JSON from character ${at} on`
}
