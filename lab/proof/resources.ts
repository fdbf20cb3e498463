/**
 * No run of the program may take longer, in milliseconds: a pipeline waits for it, and what a target does to be slow (never
 * answering, a byte now and then, 429 for ever) must cost patience only as often as there is something to learn from it. The
 * slowest honest acceptance takes a third of this on two cores that are busy otherwise.
 */
export const longestRunMs = 120_000

/**
 * No run of the program may hold more resident memory, in MiB: a small CI runner has 512. Node with vitest takes about 150 to
 * begin with; eight answers of at most 4 MiB that are read at once, as bytes, text and JSON, are the rest.
 */
export const mostMemoryMiB = 400
