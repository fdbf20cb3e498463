import type { Headers } from '../../../lib/serve/reference/answer.ts'
import { onAnswer } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'

/** Successes that a cache in front of the service would return to any client that requests the URL. */
export const sharedCacheFaults: readonly Fault[] = [
  offered('success-public-for-an-hour', 'Every success may be kept by any cache for an hour.', {
    'cache-control': 'public, max-age=3600',
  }),
  offered('success-kept-by-gateways', 'Every success may be kept by gateways, though not by browsers.', {
    'cache-control': 'max-age=0, S-MaxAge="30"',
    vary: 'accept-encoding',
  }),
  offered(
    'success-kept-by-version',
    'Every success may be kept by any cache, for each version and language of its own.',
    { 'cache-control': ['must-revalidate', 'max-age=60'], vary: 'x-version, accept-language' },
  ),
  offered(
    'success-without-accept-public',
    'A success may be kept by any cache where the request names no media type.',
    { 'cache-control': 'public, max-age=60' },
    (call) => field(call, 'accept') === undefined,
  ),
]

function offered(
  name: string,
  about: string,
  headers: Headers,
  when: (call: Call) => boolean = () => true,
): Fault {
  return {
    name,
    about,
    rules: ['security/no-shared-cache'],
    bend: () => onAnswer(({ refusal }, call) => refusal === null && when(call), { headers }),
  }
}
