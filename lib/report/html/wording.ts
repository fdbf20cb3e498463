/** A number with its thousands set apart: `1,910`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

/** A number and its noun: `1 rule`, `1,910 requests`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** A moment as `2026-11-20 02:00 UTC`; what is no moment as it is. */
export function moment(iso: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso
}

/** A sentence that begins with a capital. */
export function capitalised(sentence: string): string {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1)
}
