import { valueOf, type Field, type Request } from '../http/request.ts'
import { requiredFields } from '../spec/endpoints.ts'

/**
 * A request as servers may rightly read its required fields, as it arrives first: some do not strip a tab off a value's ends,
 * and some take a value with bytes beyond ASCII for none, since they cannot make a text of it.
 */
export function readingsOf(request: Request): readonly Request[] {
  const { fields } = request
  const read = [
    { is: withTabAtEnd, reading: fields.map((field) => (withTabAtEnd(field) ? unstripped(field) : field)) },
    { is: beyondAscii, reading: fields.filter((field) => !beyondAscii(field)) },
  ]
  return [
    request,
    ...read.filter(({ is }) => fields.some(is)).map(({ reading }) => ({ ...request, fields: reading })),
  ]
}

function withTabAtEnd(field: Field): boolean {
  return isRequired(field) && /^ *\t|\t *$/.test(valueOf(field))
}

/** The points keep the tab inside, and make another value of any. */
function unstripped(field: Field): Field {
  return { name: field.name, value: `.${valueOf(field)}.` }
}

function beyondAscii(field: Field): boolean {
  return isRequired(field) && /[\x80-\xff]/.test(valueOf(field))
}

function isRequired({ name }: Field): boolean {
  return requiredFields.some((required) => required === name.toLowerCase())
}
