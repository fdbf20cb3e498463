import texts from './ordinary.json' with { type: 'json' }

const { hidden, ...ordinary } = texts

/** Texts from answers of real services: header values, bodies and parts of them. They contain no packed data. */
export const ordinaryTexts: readonly string[] = Object.values(ordinary).flat()

/**
 * Ordinary texts that are hidden anyway: 64 digits may contain a session, only the service knows what a token contains, and the
 * beginning of an id is enough to identify it.
 */
export const hiddenOrdinary: Readonly<Record<string, string>> = {
  ...hidden,
  'a list of numbers up to 255': JSON.stringify(Array.from({ length: 40 }, (_, at) => (at * 37) % 256)),
}
