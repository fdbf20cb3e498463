/** Part of a situation: the specification does not show the path, and a service may have an endpoint there. */
export const pathNotShown = 'path not shown'

/** Part of a situation: neither the settings nor the specification cover the version, for any path. */
export const versionOpen = 'version left open'

/** Part of a situation: the target ends with a question mark and has no query. */
export const emptyQuery = 'empty query'

/** A situation in which the judges differ. */
type Difference = { readonly request: string; readonly answer: string }

/** All differences between the judges that the specification's text has settled. The first judge is right in each. */
const settled: readonly { readonly applies: (met: Difference) => boolean; readonly why: string }[] = [
  {
    applies: ({ request }) => request.includes(pathNotShown),
    why: 'The specification does not show other endpoints, and new ones may be added. An endpoint at such a path may exist, be inactive, be closed to the client, ask for parameters, or take credentials of its own. Which of the documented errors it gives is left open.',
  },
  {
    applies: ({ request, answer }) =>
      request.includes(versionOpen) && /^(?:401 (?:1011|1013)|400 1030)/.test(answer),
    why: 'The specification does not say that an endpoint is in one state, is open to a client, or takes the same parameters under every version. Under a version of which nothing is known it may be inactive, closed to the client, or miss a parameter; and so may the whole version, whatever path is asked for.',
  },
  {
    applies: ({ request, answer }) =>
      request.includes('version not known') &&
      !request.includes(versionOpen) &&
      answer.startsWith('400 1030'),
    why: 'The specification gives no range of integers. A version below 0 or above 2³¹ − 1 may be none for the service, and an invalid parameter.',
  },
  {
    applies: ({ request, answer }) => request.includes(emptyQuery) && answer === '400 1030',
    why: 'The specification does not say what an empty query is. A service may take it for invalid parameters, whatever endpoint is asked for.',
  },
  {
    applies: ({ request, answer }) => request.includes('version blank') && /^200$/.test(answer),
    why: 'The field has a default, 1, and the specification does not say when it applies. For a field that is absent it asks for 1003; a blank one may take the default.',
  },
  {
    applies: ({ request, answer }) => request.includes('client no-customer') && answer === '401 1006',
    why: 'Credentials that no customer matches may be ones that were never issued. Then the key is not valid either, which may be said once the secret is wrong, too.',
  },
]

/** Why a difference stands, or null if it is not settled. */
export const settledAs = (met: Difference): string | null =>
  settled.find(({ applies }) => applies(met))?.why ?? null
