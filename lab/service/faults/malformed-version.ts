import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, failure, onAnswer, type Change } from '../../../lib/serve/reference/bending.ts'
import { field, withField } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'

/** A reading of the version header, or undefined to leave it unchanged. */
function reads(name: string, about: string, read: (version: string) => string | undefined): Fault {
  return {
    name,
    about,
    rules: ['versioning/malformed-version'],
    bend: () => ({
      see(call) {
        const version = read(field(call, 'x-version') ?? '')
        return version === undefined ? call : withField(call, 'x-version', version)
      },
    }),
  }
}

/** Non-integer versions that are accepted, or get the wrong answer. */
export const malformedVersionFaults: readonly Fault[] = [
  reads(
    'version-read-up-to-first-letter',
    'What follows the digits of a version is ignored.',
    (version) => /^\d+/.exec(version)?.[0],
  ),
  reads('version-list-first-counts', 'Of a list of versions the first counts.', (version) =>
    version.split(',')[0]?.trim(),
  ),
  reads('version-letter-v-ignored', 'The version may have a v before it.', (version) =>
    version.replace(/^v/i, ''),
  ),
  reads(
    'version-fraction-dropped',
    'The fraction of a version is dropped.',
    (version) => /^(\d+)\.\d+$/.exec(version)?.[1],
  ),
  reads('version-words-default-to-one', 'A version without any digit selects version 1.', (version) =>
    version !== '' && !/\d/.test(version) ? '1' : undefined,
  ),
  {
    name: 'malformed-version-fails',
    about: 'A version that is not a number is answered 500.',
    rules: ['versioning/malformed-version', 'errors/documented-pairs'],
    bend: () => onMalformed(failure(500, 'invalid input syntax for type integer')),
  },
  {
    name: 'malformed-version-unauthorized',
    about: 'A version that is not a number is answered 401 and 1013.',
    rules: ['versioning/malformed-version'],
    bend: () => onMalformed(becomes('1013')),
  },
]

function onMalformed(change: Change): Bend {
  return onAnswer(
    ({ refusal }, call) => refusal === '1010' && Number.isNaN(Number(field(call, 'x-version'))),
    change,
  )
}
