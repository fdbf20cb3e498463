import { every, onAnswer, onSuccess } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'

/**
 * Successes that conform to the specification, but not to the list's description in an endpoints file: an
 * object with an array of customizations.
 */
export const describedEndpointFaults: readonly Fault[] = [
  {
    name: 'list-lacks-described-property',
    about: 'The list has no customizations, which an endpoints file promises.',
    rules: ['endpoints/list-succeeds'],
    needs: 'endpoints-file',
    bend: () => onSuccess({ payload: { items: [], total: 0 } }),
  },
  {
    name: 'list-of-another-type-than-described',
    about: 'The customizations are null, where an endpoints file promises an array.',
    rules: ['endpoints/list-succeeds'],
    needs: 'endpoints-file',
    bend: () => onSuccess({ payload: { customizations: null, total: 0 } }),
  },
  {
    name: 'list-not-as-described-every-ninth-time',
    about: 'Every ninth list is an array, where an endpoints file promises an object.',
    rules: ['endpoints/list-succeeds'],
    needs: 'endpoints-file',
    bend: () => {
      const isTime = every(9)
      return onAnswer(({ refusal }) => refusal === null && isTime(), { text: '[]' })
    },
  },
]
