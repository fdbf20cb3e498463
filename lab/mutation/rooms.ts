import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

const libraryRooms = [
  'specification',
  'judge',
  'fuzz',
  'engine',
  'http',
  'drift',
  'redact',
  'verdict',
  'report',
  'settings',
  'doors',
  'serve',
  'text',
] as const

/** Folders of our own code that are mutated one by one. */
export const roomNames = ['suites', ...libraryRooms] as const
export type RoomName = (typeof roomNames)[number]

/** Tests and what only they use, and what is wrong on purpose; a validator is made by a program. */
const left =
  /\.(?:test|testing|d)\.ts$|-validator\.ts$|\/testing\/|^lib\/serve\/reference\/(?:faults|variants)\//

/** The folder of a room, from the root. */
export function folderOf(room: RoomName): string {
  return room === 'suites' ? 'suites/' : `lib/${room}/`
}

/** The files of a room that are mutated, from the root, sorted. */
export function filesOf(room: RoomName): readonly string[] {
  const folder = folderOf(room)
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}${name}`)
    .filter((name) => name.endsWith('.ts') && !left.test(name))
    .toSorted()
}
