import fc, { type Arbitrary } from 'fast-check'
import type { Fuzzed, Kind } from './fuzzed.ts'
import { after, inside } from './inserted.ts'
import { spread } from './spread.ts'
import { altered, type Subject } from './subject.ts'
import { kindOf, oneOf } from './value-kinds.ts'

/**
 * Valid values over two lines: broken by a bare CR, folded inside, folded before the value, where a service that unfolds lines
 * may take it. No line break ends a value, since what follows would be an empty line to some parsers, with which a head
 * ends; and no colon follows a bare CR, which would make a field of it.
 */
export function lineBreakKinds(subjects: readonly Subject[]): readonly Kind[] {
  return kindOf(
    { name: 'line-break', weight: 1, gate: true, requests: 2 },
    spread(breaks, subjects, (broken, subject) => broken(subject)),
  )
}

type Broken = (subject: Subject) => readonly Arbitrary<Fuzzed>[]

const breaks: readonly Broken[] = [
  brokenByCr,
  foldedInside('\r\n ', 'CR LF SP'),
  foldedBefore('\r\n ', 'CR LF SP'),
  foldedInside('\r\n\t', 'CR LF HTAB'),
  foldedBefore('\r\n\t', 'CR LF HTAB'),
  foldedInside('\n ', 'LF SP'),
]

const nowhere = { transportMayRefuse: true, toUnknownPath: true } as const
/** A break inside of a value belongs to it; a fold before one is white space, and does not. */
const besideTwin = { ...nowhere, withTwin: true } as const

function brokenByCr(subject: Subject): readonly Arbitrary<Fuzzed>[] {
  const lastColon = subject.text.lastIndexOf(':')
  return within(subject, '\r', {
    says: 'a bare CR',
    places: inside(subject).filter((at) => at > lastColon),
    mayRepeat: lastColon === -1,
  })
}

function foldedInside(fold: string, says: string): Broken {
  return (subject) =>
    within(subject, fold, { says: `a fold (${says})`, places: inside(subject), mayRepeat: true })
}

function foldedBefore(fold: string, says: string): Broken {
  return (subject) => [
    fc.constant(altered(subject, `folded (${says}) before it`, [fold, [0, subject.text.length]], nowhere)),
  ]
}

interface Break {
  readonly says: string
  readonly places: readonly number[]
  readonly mayRepeat: boolean
}

/** In a value of one character, which has no inside: between it and itself. */
function within(
  subject: Subject,
  broken: string,
  { says, places, mayRepeat }: Break,
): readonly Arbitrary<Fuzzed>[] {
  const { length } = subject.text
  if (length < 2 && mayRepeat) {
    return [
      fc.constant(
        altered(subject, `twice, with ${says} between`, [[0, length], broken, [0, length]], besideTwin),
      ),
    ]
  }
  const drawn = oneOf(places)?.map((at) =>
    altered(subject, `with ${says} ${after(at)}`, [[0, at], broken, [at, length]], besideTwin),
  )
  return drawn === undefined ? [] : [drawn]
}
