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
  {
    what: 'a larger semi-space (`--min-semi-space-size=16`) or lazier compilation (`--max-lazy`)',
    outcome: '6 to 8 % more processor time for a gate',
  },
  {
    what: '`--no-opt`',
    outcome: '15 % less processor time for a gate, no shorter run, and bad for fuzzing',
  },
  {
    what: 'a smaller semi-space, against the memory of a million cases',
    outcome:
      'a quarter less at its peak (160 to 120 MiB); it is a flag of Node’s start, so the program does not set it',
  },
  {
    what: 'fast-check, pure-rand, commander and dotenv inside the bundle',
    outcome:
      'no gain that could be measured; undici inside it saves 30 ms, but hides it from a user’s `overrides`',
  },
  {
    what: 'comparing the lengths of field names before their letters',
    outcome: '0 to 9 % of the engine’s processor time, within the noise; kept, since it is small',
  },
]
