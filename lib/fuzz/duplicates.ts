import type { Field } from '../http/request.ts'
import type { Answer } from '../specification/answers.ts'
import { requiredFields, type RequiredField } from '../specification/endpoints.ts'
import {
  caseClass,
  credentialOf,
  judged,
  observedOnly,
  type CaseClass,
  type ClientInput,
} from './case-class.ts'
import { derivedSecret } from './mutated-value.ts'
import { adding, inTurn, replacing, setting, type RequestChange } from './request-changes.ts'

/** Required fields sent twice: with the valid value (which one counts is only observed), and wrong both times. */
export function duplicateClasses(input: ClientInput): readonly CaseClass[] {
  const changed = ({ how, values: [first, second] }: Pair, name: RequiredField): RequestChange => {
    const values = valuesFor(name, input)
    return how(name, values[first], values[second])
  }
  return [
    caseClass(
      'duplicates',
      { weight: 2 },
      pairsOfValid.flatMap((pairs) =>
        requiredFields.flatMap((name) =>
          pairs.map((pair) => observedOnly('duplicates', `${name}: ${pair.as}`, changed(pair, name))),
        ),
      ),
    ),
    caseClass(
      'two-wrong',
      { weight: 1 },
      pairsOfWrong.flatMap((pair) =>
        requiredFields.map((name) =>
          judged(`${name}: ${pair.as}`, changed(pair, name), { allowed: answersToWrong[name] }),
        ),
      ),
    ),
  ]
}

type Value = Field['value']

/** Values of a required field. */
interface Values {
  readonly valid: Value
  readonly wrong: Value
  readonly otherWrong: Value
  /** Both values in one, separated by a comma. */
  readonly validFirst: Value
  readonly wrongFirst: Value
}

/** A way to give a field two values. */
interface Pair {
  readonly as: string
  readonly how: (name: RequiredField, first: Value, second: Value) => RequestChange
  readonly values: readonly [keyof Values, keyof Values]
}

/** Pairs that together tell more of a service are in one group. */
const pairsOfValid: readonly (readonly Pair[])[] = [
  [
    { as: 'valid then wrong', how: adjacent, values: ['valid', 'wrong'] },
    { as: 'wrong then valid', how: adjacent, values: ['wrong', 'valid'] },
  ],
  [
    { as: 'valid, a comma, wrong', how: setting, values: ['validFirst', 'wrong'] },
    { as: 'wrong, a comma, valid', how: setting, values: ['wrongFirst', 'valid'] },
  ],
  [{ as: 'valid twice', how: adjacent, values: ['valid', 'valid'] }],
  [
    { as: 'valid then wrong, apart', how: apart, values: ['valid', 'wrong'] },
    { as: 'wrong then valid, apart', how: apart, values: ['wrong', 'valid'] },
  ],
  [
    { as: 'valid then wrong, its name in upper case', how: inTwoCases, values: ['valid', 'wrong'] },
    { as: 'wrong then valid, its name in upper case', how: inTwoCases, values: ['wrong', 'valid'] },
  ],
]

const pairsOfWrong: readonly Pair[] = [
  { as: 'two wrong ones', how: adjacent, values: ['wrong', 'otherWrong'] },
  { as: 'the same wrong one twice', how: adjacent, values: ['wrong', 'wrong'] },
  { as: 'two wrong ones, apart', how: apart, values: ['wrong', 'otherWrong'] },
  { as: 'two wrong ones, one name in upper case', how: inTwoCases, values: ['wrong', 'otherWrong'] },
]

function adjacent(name: RequiredField, first: Value, second: Value): RequestChange {
  return replacing(name, { name, value: first }, { name, value: second })
}

function apart(name: RequiredField, first: Value, second: Value): RequestChange {
  return inTurn(setting(name, first), adding({ name, value: second }))
}

function inTwoCases(name: RequiredField, first: Value, second: Value): RequestChange {
  return replacing(name, { name, value: first }, { name: name.toUpperCase(), value: second })
}

/** A service may refuse any repeated field. */
const invalidInput: Answer = { status: 400, errorCode: '1030' }

/** Both values are wrong, alone and joined; a service may also refuse the repetition. */
const answersToWrong: Readonly<Record<RequiredField, readonly Answer[]>> = {
  'x-api-key': [{ status: 401, errorCode: '1006' }, invalidInput],
  'x-secret-key': [{ status: 401, errorCode: '1007' }, invalidInput],
  'x-version': [{ status: 400, errorCode: '1010' }, invalidInput],
}

function valuesFor(name: RequiredField, input: ClientInput): Values {
  if (name === 'x-version') return versions(input)

  const valid = credentialOf(input.target, name)
  const wrong = name === 'x-api-key' ? input.wrongKey : input.wrongSecret
  const text = valid.reveal()
  return {
    valid,
    wrong,
    otherWrong: lengthened(wrong, input),
    validFirst: derivedSecret(valid, 'with a comma and a wrong one behind it', `${text}, ${wrong}`),
    wrongFirst: derivedSecret(valid, 'with a wrong one and a comma before it', `${wrong}, ${text}`),
  }
}

function versions({ servedVersion: valid, unsupportedVersion: wrong }: ClientInput): Values {
  const unsupported = ['2147483646', '2147483645', '2147483644']
  return {
    valid,
    wrong,
    otherWrong: unsupported.find((version) => version !== valid && version !== wrong) ?? wrong,
    validFirst: `${valid}, ${wrong}`,
    wrongFirst: `${wrong}, ${valid}`,
  }
}

/** A wrong value with a digit appended, which is nobody's credential either. */
function lengthened(wrong: string, { target, second }: ClientInput): string {
  const known = [target, second ?? target].flatMap(({ apiKey, secretKey }) => [
    apiKey.reveal(),
    secretKey.reveal(),
  ])
  return [...'01234'].map((digit) => wrong + digit).find((value) => !known.includes(value)) ?? wrong
}
