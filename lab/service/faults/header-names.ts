import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, failure, onAnswer, onRefusal } from '../../../lib/serve/reference/bending.ts'
import { withField, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'

/** Outcomes that depend on the spelling of header names, or on their order. */
export const headerNameFaults: readonly Fault[] = [
  {
    name: 'only-lower-case-names-seen',
    about: 'Headers are found only where their names are in lower case.',
    rules: ['conventions/header-case-insensitive'],
    bend: () => sees((name) => name === name.toLowerCase()),
  },
  {
    name: 'upper-case-version-name-unseen',
    about: 'X-VERSION is not found, x-version and X-Version are.',
    rules: ['conventions/header-case-insensitive'],
    bend: () => sees((name) => name !== 'X-VERSION'),
  },
  {
    name: 'unusual-letter-case-fails',
    about:
      'A name in both letter cases, other than with capitals at the beginnings of words, is answered 500.',
    rules: ['conventions/header-case-insensitive', 'errors/documented-pairs'],
    bend: () => onAnswer((_answer, call) => namesOf(call).some((name) => !isUsual(name)), failure(500)),
  },
  {
    name: 'upper-case-secret-name-trusted',
    about: 'A wrong secret is served where its name is X-SECRET-KEY.',
    rules: ['conventions/header-case-insensitive'],
    bend: () =>
      onRefusal('1007', (answer, call) =>
        namesOf(call).includes('X-SECRET-KEY') ? list(call.query) : answer,
      ),
  },
  {
    name: 'secret-before-key-invalid',
    about: 'A secret that comes before the key is answered 401 and 1006.',
    rules: ['conventions/header-case-insensitive'],
    bend: () => onAnswer((_answer, call) => comesBefore(call, 'x-secret-key', 'x-api-key'), becomes('1006')),
  },
  {
    name: 'version-before-secret-missing',
    about: 'A version that comes before the secret is not found.',
    rules: ['conventions/header-case-insensitive'],
    bend: () => ({
      see: (call) =>
        comesBefore(call, 'x-version', 'x-secret-key') ? withField(call, 'x-version', undefined) : call,
    }),
  },
]

function namesOf({ rawHeaders }: Call): readonly string[] {
  return rawHeaders.filter(
    (text, index) => index % 2 === 0 && /^x-(?:api-key|secret-key|version)$/i.test(text),
  )
}

function isUsual(name: string): boolean {
  return name === name.toLowerCase() || name === name.toUpperCase() || /^X(?:-[A-Z][a-z]+)+$/.test(name)
}

/** Hides the required headers whose names, as written, are not found. */
function sees(isFound: (name: string) => boolean): Bend {
  return {
    see: (call) =>
      namesOf(call)
        .filter((name) => !isFound(name))
        .reduce((seen, name) => withField(seen, name.toLowerCase(), undefined), call),
  }
}

function comesBefore(call: Call, first: string, second: string): boolean {
  const names = namesOf(call).map((name) => name.toLowerCase())
  return names.includes(first) && names.includes(second) && names.indexOf(first) < names.indexOf(second)
}
