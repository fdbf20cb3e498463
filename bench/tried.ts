/** What was tried to make it faster and did not help, so that nobody tries it again unawares: what, and what came of it. */
export const tried: readonly { readonly what: string; readonly outcome: string }[] = [
  {
    what: 'HTTP pipelining in undici (2 and more requests on a connection)',
    outcome: 'slower than one at a time on as many connections',
  },
  {
    what: '`fetch` instead of undici’s own client',
    outcome: 'a third to half of the rate of `request`, and it changes paths and header names on the way',
  },
]
