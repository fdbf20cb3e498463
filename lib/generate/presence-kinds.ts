import type { Kind } from './fuzzed.ts'
import fc from 'fast-check'
import { byOracle } from './listed.ts'
import { without } from './request-changes.ts'
import { sent, type Subject } from './subject.ts'
import { kindOf } from './value-kinds.ts'
import { traitsOfBlank } from './white-space-kinds.ts'

/** A required field that is absent, empty, or nothing but white space. */
export function presenceKinds(subject: Subject): readonly Kind[] {
  const { field } = subject
  const blanks = [
    { value: '', says: `an empty ${field}` },
    { value: ' ', says: `a space as ${field}` },
    { value: '\t', says: `a tab as ${field}` },
    { value: ' \t  ', says: `spaces and tabs as ${field}` },
  ]
  const cases = [
    byOracle(`no ${field}`, without(field)),
    ...blanks.map((made) => sent(subject, made, traitsOfBlank(made.value))),
  ]
  return kindOf(
    { name: 'presence', weight: 1, gate: true },
    cases.map((one) => fc.constant(one)),
  )
}
