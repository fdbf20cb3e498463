import { every, onAnswer, onSuccess } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { breakingWith } from './breaking.ts'

const describedList = breakingWith({ needs: 'endpoints-file' }, 'endpoints/list-succeeds')

/**
 * Successes that conform to the specification, but not to the list's description in an endpoints file: an
 * object with an array of customizations.
 */
export const describedEndpointFaults: readonly Fault[] = [
  describedList(
    'list-lacks-described-property',
    'The list has no customizations, which an endpoints file promises.',
    () => onSuccess({ payload: { items: [], total: 0 } }),
  ),
  describedList(
    'list-of-another-type-than-described',
    'The customizations are null, where an endpoints file promises an array.',
    () => onSuccess({ payload: { customizations: null, total: 0 } }),
  ),
  describedList(
    'list-not-as-described-every-ninth-time',
    'Every ninth list is an array, where an endpoints file promises an object.',
    () => {
      const isTime = every(9)
      return onAnswer(({ refusal }) => refusal === null && isTime(), { text: '[]' })
    },
  ),
]
