/** Numbers from 0 up to `sides` (exclusive), the same after every start, so that a variant's random choices are repeatable. */
export function dice(): (sides: number) => number {
  let state = 0x2545f491
  return (sides) => {
    // xorshift32
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % sides
  }
}
