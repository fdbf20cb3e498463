import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Everything that a run shows to anybody. */
export interface Shown {
  readonly stdout: string
  readonly stderr: string
  /** Every file in it counts, whoever wrote it; a folder that is missing shows nothing. */
  readonly reportsFolder: string
}

/** Where one of these values can be read, in whatever writing, as sentences; none is what is wanted. */
export async function leaks(shown: Shown, values: readonly string[]): Promise<readonly string[]> {
  const places = [
    { place: 'standard output', text: shown.stdout },
    { place: 'standard error', text: shown.stderr },
    ...(await files(shown.reportsFolder)),
  ]
  const writings = values.flatMap(writingsOf)

  return places.flatMap(({ place, text }) =>
    writings
      .filter(({ written }) => text.includes(written))
      .map(({ value, how }) => `${value} can be read in ${place}, ${how}`),
  )
}

interface Writing {
  readonly value: string
  readonly how: string
  readonly written: string
}

function writingsOf(value: string): readonly Writing[] {
  const reversed = [...value].toReversed().join('')
  const percent = [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const writings = [
    { how: 'as it is', written: value },
    { how: 'reversed', written: reversed },
    { how: 'percent-encoded', written: encodeURIComponent(value) },
    { how: 'percent-encoded, every byte', written: percent },
    { how: 'percent-encoded, every byte', written: percent.toUpperCase() },
    ...[0, 1, 2].map((shift) => ({ how: `in base64, from byte ${shift} on`, written: base64(value, shift) })),
  ]
  return writings.map((writing) => ({ value, ...writing }))
}

/** What every base64 text has in common that holds the value after so many other bytes (of three). */
function base64(value: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)])
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64')
  return shift === 0 ? whole : whole.slice(4)
}

async function files(folder: string): Promise<readonly { readonly place: string; readonly text: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])

  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const file = join(entry.parentPath, entry.name)
        return { place: relative(folder, file), text: await readFile(file, 'utf8') }
      }),
  )
}
