/** Numbers from 0 to below `sides`, the same after every start: what a variant does at random can be seen again. */
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
