import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { underLoad } from './concurrency.ts'

/** More faults that show only while several requests are in flight. */
export const underLoadFaults: readonly Fault[] = [
  {
    name: 'unsupported-version-served-under-load',
    about: 'With more than three requests in flight the list is served under every version.',
    rules: ['authentication/isolated-under-concurrency', 'versioning/selected-per-request'],
    bend: () => underLoad(3, (answer, call) => (answer.refusal === '1010' ? list(call.query) : answer)),
  },
  {
    name: 'missing-version-defaults-under-load',
    about: 'With more than two requests in flight a missing version is version 1.',
    rules: ['versioning/selected-per-request', 'authentication/isolated-under-concurrency'],
    bend: () => underLoad(2, (answer, call) => (answer.refusal === '1003' ? list(call.query) : answer)),
  },
  {
    name: 'errors-empty-under-load',
    about: 'With more than three requests in flight errors have no body.',
    rules: ['authentication/isolated-under-concurrency', 'conventions/json-response'],
    bend: () => underLoad(3, (answer) => (answer.refusal === null ? answer : { ...answer, text: '' })),
  },
  {
    name: 'standing-not-looked-at-under-load',
    about: 'With more than three requests in flight clients that are inactive or not permitted are served.',
    rules: ['authentication/isolated-under-concurrency'],
    bend: () =>
      underLoad(3, (answer, call) =>
        answer.refusal === '1011' || answer.refusal === '1013' ? list(call.query) : answer,
      ),
  },
]
