import { valueOf, type Field, type Request } from '../http/exchange.ts'
import { requiredFieldNamed } from '../specification/endpoints.ts'

/**
 * All legitimate readings of a request's required fields, HTTP's reading first. Many servers keep trailing white space (contrary to
 * RFC 9110, 5.5), and some keep a leading tab; some ignore a value with bytes beyond ASCII. A control character, a line break or an
 * oversized line may make a server drop the line or stop reading.
 */
export function readingsOf(request: Request): readonly Request[] {
  const { fields } = request
  const further = ways.filter(({ is }) => fields.some(is))
  return [request, ...further.map(({ read }) => ({ ...request, fields: read(fields) }))]
}

/** Whether all servers must read a request in the same way. */
export function isReadInOneWay({ fields }: Request): boolean {
  return !ways.some(({ is }) => fields.some(is))
}

/** A way in which some servers deviate, and the fields as they read them. */
const ways: readonly {
  readonly is: (field: Field) => boolean
  readonly read: (fields: readonly Field[]) => readonly Field[]
}[] = [
  {
    is: mayKeepSpace,
    read: (fields) => fields.map((field) => (mayKeepSpace(field) ? unstripped(field) : field)),
  },
  { is: beyondAscii, read: (fields) => fields.filter((field) => !beyondAscii(field)) },
  { is: mayEndTheHead, read: (fields) => fields.filter((field) => !isRequired(field)) },
]

/** Whether a server may refuse a malformed line in the request and quote it. */
export function hasMalformedLine({ fields }: Request): boolean {
  return fields.some(mayEndTheHead)
}

function mayKeepSpace(field: Field): boolean {
  return isRequired(field) && /^ *\t|[ \t]$/.test(valueOf(field))
}

/** The dots keep the white space inside the value and change every value. */
function unstripped(field: Field): Field {
  return { name: field.name, value: `.${valueOf(field)}.` }
}

function beyondAscii(field: Field): boolean {
  return isRequired(field) && /[\x80-\xff]/.test(valueOf(field))
}

/** Maximum length accepted by every common server, in characters. */
const longestValue = 2_000

function mayEndTheHead(field: Field): boolean {
  const value = valueOf(field)
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return isRequired(field) && (value.length > longestValue || /[\0-\x08\x0a-\x1f\x7f]/.test(value))
}

function isRequired({ name }: Field): boolean {
  return requiredFieldNamed(name) !== null
}
