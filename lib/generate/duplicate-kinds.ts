import fc from 'fast-check'
import type { Field } from '../http/request.ts'
import type { Answer } from '../spec/answers.ts'
import { requiredFields, type RequiredField } from '../spec/endpoints.ts'
import { derived } from './derived.ts'
import { credentialOf, type Fuzzed, type Kind, type Material } from './fuzzed.ts'
import { byOracle, listed, observed } from './listed.ts'
import { adding, inTurn, replacing, setting, type Change } from './request-changes.ts'

/** Required fields sent twice: with the valid value (which one counts is only observed), and wrong both times. */
export function duplicateKinds(material: Material): readonly Kind[] {
  return [
    listed(
      { name: 'duplicates', weight: 2, gate: true },
      pairsOfValid.flatMap((pairs) =>
        requiredFields.flatMap((name) =>
          pairs.map(({ as, change }) =>
            fc.constant(observed('duplicates', `${name}: ${as}`, change(name, valuesFor(name, material)))),
          ),
        ),
      ),
    ),
    listed(
      { name: 'two-wrong', weight: 1, gate: true },
      pairsOfWrong.flatMap(({ as, change }) =>
        requiredFields.map((name) =>
          fc.constant(twoWrong(name, as, change(name, valuesFor(name, material)))),
        ),
      ),
    ),
  ]
}

type Value = Field['value']

/** What a required field may hold. */
interface Values {
  readonly valid: Value
  readonly wrong: Value
  readonly otherWrong: Value
  /** The valid and the wrong value in one, with a comma between them. */
  readonly validFirst: Value
  readonly wrongFirst: Value
}

/** A way of giving a field two values. */
interface Pair {
  readonly as: string
  readonly change: (name: RequiredField, values: Values) => Change
}

/** Ways that tell more of a service together stand together. */
const pairsOfValid: readonly (readonly Pair[])[] = [
  [
    { as: 'valid then wrong', change: (name, { valid, wrong }) => adjacent(name, valid, wrong) },
    { as: 'wrong then valid', change: (name, { valid, wrong }) => adjacent(name, wrong, valid) },
  ],
  [
    { as: 'valid, a comma, wrong', change: (name, { validFirst }) => setting(name, validFirst) },
    { as: 'wrong, a comma, valid', change: (name, { wrongFirst }) => setting(name, wrongFirst) },
  ],
  [{ as: 'valid twice', change: (name, { valid }) => adjacent(name, valid, valid) }],
  [
    { as: 'valid then wrong, apart', change: (name, { valid, wrong }) => apart(name, valid, wrong) },
    { as: 'wrong then valid, apart', change: (name, { valid, wrong }) => apart(name, wrong, valid) },
  ],
  [
    {
      as: 'valid then wrong, its name in upper case',
      change: (name, { valid, wrong }) => inTwoCases(name, valid, wrong),
    },
    {
      as: 'wrong then valid, its name in upper case',
      change: (name, { valid, wrong }) => inTwoCases(name, wrong, valid),
    },
  ],
]

const pairsOfWrong: readonly Pair[] = [
  { as: 'two wrong ones', change: (name, { wrong, otherWrong }) => adjacent(name, wrong, otherWrong) },
  { as: 'the same wrong one twice', change: (name, { wrong }) => adjacent(name, wrong, wrong) },
  { as: 'two wrong ones, apart', change: (name, { wrong, otherWrong }) => apart(name, wrong, otherWrong) },
  {
    as: 'two wrong ones, one name in upper case',
    change: (name, { wrong, otherWrong }) => inTwoCases(name, wrong, otherWrong),
  },
]

function adjacent(name: RequiredField, first: Value, second: Value): Change {
  return replacing(name, { name, value: first }, { name, value: second })
}

function apart(name: RequiredField, first: Value, second: Value): Change {
  return inTurn(setting(name, first), adding({ name, value: second }))
}

function inTwoCases(name: RequiredField, first: Value, second: Value): Change {
  return replacing(name, { name, value: first }, { name: name.toUpperCase(), value: second })
}

function twoWrong(name: RequiredField, as: string, apply: Change): Fuzzed {
  return { ...byOracle(`${name}: ${as}`, apply), allowed: answersToWrong[name] }
}

/** A service may take no field twice. */
const invalidInput: Answer = { status: 400, errorCode: '1030' }

/** Whichever counts, it is wrong; where they are joined, it is wrong as well; and that it is repeated may be what is refused. */
const answersToWrong: Readonly<Record<RequiredField, readonly Answer[]>> = {
  'x-api-key': [{ status: 401, errorCode: '1006' }, invalidInput],
  'x-secret-key': [{ status: 401, errorCode: '1007' }, invalidInput],
  'x-version': [{ status: 400, errorCode: '1010' }, invalidInput],
}

function valuesFor(name: RequiredField, material: Material): Values {
  if (name === 'x-version') return versions(material)

  const valid = credentialOf(material.target, name)
  const wrong = name === 'x-api-key' ? material.wrongKey : material.wrongSecret
  const whole = [0, valid.reveal().length] as const
  return {
    valid,
    wrong,
    otherWrong: lengthened(wrong, material),
    validFirst: derived(valid, 'with a comma and a wrong one behind it', [whole, `, ${wrong}`]),
    wrongFirst: derived(valid, 'with a wrong one and a comma before it', [`${wrong}, `, whole]),
  }
}

function versions({ servedVersion: valid, unsupportedVersion: wrong }: Material): Values {
  const unsupported = ['2147483646', '2147483645', '2147483644']
  return {
    valid,
    wrong,
    otherWrong: unsupported.find((version) => version !== valid && version !== wrong) ?? wrong,
    validFirst: `${valid}, ${wrong}`,
    wrongFirst: `${wrong}, ${valid}`,
  }
}

/** A wrong value with a digit behind it, which is nobody's credential either. */
function lengthened(wrong: string, { target, second }: Material): string {
  const known = [target, ...(second === null ? [] : [second])].flatMap(({ apiKey, secretKey }) => [
    apiKey.reveal(),
    secretKey.reveal(),
  ])
  return [...'01234'].map((digit) => wrong + digit).find((value) => !known.includes(value)) ?? wrong
}
