import { valueOf, type Field, type Request } from '../http/request.ts'
import { requiredFieldNamed } from '../specification/endpoints.ts'

/**
 * All legitimate readings of a request's required fields, HTTP's own first. Many servers keep trailing white space (against RFC 9110,
 * 5.5), some a leading tab; some ignore a value with bytes beyond ASCII. A control character, a line break or an oversized line may
 * make a server drop the line or stop reading.
 */
export function readingsOf(request: Request): readonly Request[] {
  if (isReadInOneWay(request)) return [request]
  const { fields } = request
  const read = [
    { is: mayKeepSpace, reading: fields.map((field) => (mayKeepSpace(field) ? unstripped(field) : field)) },
    { is: beyondAscii, reading: fields.filter((field) => !beyondAscii(field)) },
    { is: mayEndTheHead, reading: fields.filter((field) => !isRequired(field)) },
  ]
  return [
    request,
    ...read.filter(({ is }) => fields.some(is)).map(({ reading }) => ({ ...request, fields: reading })),
  ]
}

/** Whether all servers must read a request in the same way. */
export function isReadInOneWay({ fields }: Request): boolean {
  for (const field of fields) {
    if (isRequired(field) && isReadVariously(valueOf(field))) return false
  }
  return true
}

/** Whether a server may refuse the form of one of the request's lines, and may then repeat that line. */
export function hasMalformedLine({ fields }: Request): boolean {
  return fields.some(mayEndTheHead)
}

/** {@link mayKeepSpace}, {@link beyondAscii} or {@link mayEndTheHead}, in one go: asked of every request, and most are plain. */
function isReadVariously(value: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return value.length > longestValue || /^ *\t|[ \t]$|[\0-\x08\x0a-\x1f\x7f-\xff]/.test(value)
}

function mayKeepSpace(field: Field): boolean {
  return isRequired(field) && /^ *\t|[ \t]$/.test(valueOf(field))
}

/** The dots keep the white space inside, and change any value. */
function unstripped(field: Field): Field {
  return { name: field.name, value: `.${valueOf(field)}.` }
}

function beyondAscii(field: Field): boolean {
  return isRequired(field) && /[\x80-\xff]/.test(valueOf(field))
}

/** Maximum length that every common server accepts, in characters. */
const longestValue = 2_000

function mayEndTheHead(field: Field): boolean {
  const value = valueOf(field)
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return isRequired(field) && (value.length > longestValue || /[\0-\x08\x0a-\x1f\x7f]/.test(value))
}

function isRequired({ name }: Field): boolean {
  return requiredFieldNamed(name) !== null
}
