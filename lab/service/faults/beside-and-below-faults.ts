import { succeed } from '../../../lib/serve/reference/answer.ts'
import { onAnswer } from '../../../lib/serve/reference/bending.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list, listPath } from '../../../lib/serve/reference/list.ts'
import { beyondGate } from './breaking.ts'

const parent = listPath.slice(0, listPath.lastIndexOf('/') + 1)
const below = `${listPath}/`

/** A path next to or below the list's path that is checked and answered like the list. */
function serves(name: string, about: string, when: (path: string) => boolean, body = list()): Fault {
  const isMeant = ({ path }: Call): boolean => path !== listPath && when(path)
  return {
    name,
    about,
    rules: ['versioning/unknown-endpoint'],
    implied: true,
    bend: () => ({
      see: (call) => (isMeant(call) ? { ...call, path: listPath } : call),
      ...onAnswer(({ refusal }, call) => refusal === null && isMeant(call), body),
    }),
  }
}

/** Endpoint names that are matched partially, or not at all. */
export const besideAndBelowFaults: readonly Fault[] = [
  serves(
    'list-matched-by-its-beginning',
    'A path that begins as that of the list is that of the list.',
    (path) => path.startsWith(listPath),
  ),
  serves('list-found-behind-any-name', 'Any name in the place of the last one is that of the list.', (path) =>
    /^[^/]+$/.test(path.slice(parent.length)),
  ),
  serves('list-served-below-itself', 'All that is below the list is the list.', (path) =>
    path.startsWith(below),
  ),
  serves(
    'nothing-found-at-every-depth',
    'What is not there is answered 200 with an empty object, at every depth beside and below the list.',
    (path) => path.startsWith(parent),
    succeed({}),
  ),
  beyondGate(
    serves(
      'list-served-as-its-own-item',
      'An item of the list that is not there is the list.',
      (path) => path.startsWith(below) && !path.slice(below.length).includes('/'),
    ),
  ),
]
