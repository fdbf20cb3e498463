import texts from './ordinary.json' with { type: 'json' }

const { hidden, ...ordinary } = texts

/** Texts that real services answer with: values of header fields, bodies, and parts of them. None holds packed data. */
export const ordinaryTexts: readonly string[] = Object.values(ordinary).flat()

/**
 * Texts as ordinary that are hidden all the same: 64 digits may hold a session, nobody but the service knows what a token holds, and an
 * id is told by its beginning.
 */
export const hiddenOrdinary: Readonly<Record<string, string>> = {
  ...hidden,
  'a list of numbers up to 255': JSON.stringify(Array.from({ length: 40 }, (_, at) => (at * 37) % 256)),
}
