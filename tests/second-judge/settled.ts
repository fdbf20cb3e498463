/** A difference between the judges that was settled by the specification's text. */
interface Settled {
  readonly applies: (met: {
    readonly request: string
    readonly answer: string
    readonly because: string
  }) => boolean
  readonly why: string
}

const settled: readonly Settled[] = [
  {
    applies: ({ request, answer }) =>
      request.includes('version not known') && /^401 (?:1011|1013)/.test(answer),
    why: 'The specification does not say that an endpoint is in one state, or a client permitted, under every version: a version of which nothing is known may be inactive, or closed to the client. The first judge is right.',
  },
]

/** Why a difference stands; null if it is not settled. */
export function settledAs(met: Parameters<Settled['applies']>[0]): string | null {
  return settled.find(({ applies }) => applies(met))?.why ?? null
}
