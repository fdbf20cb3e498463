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

/** Folders of our code that are mutated separately. */
export const roomNames = ['suites', ...libraryRooms] as const
export type RoomName = (typeof roomNames)[number]

/** Left out: tests and their helpers, code that is wrong on purpose, and a generated validator. */
const left =
  /\.(?:test|testing|d)\.ts$|-validator\.ts$|\/testing\/|^lib\/serve\/reference\/(?:faults|variants)\//

/** The folder of a room, relative to the root. */
export function folderOf(room: RoomName): string {
  return room === 'suites' ? 'suites/' : `lib/${room}/`
}

/** The files of a room that are mutated, relative to the root, sorted. */
export function filesOf(room: RoomName): readonly string[] {
  const folder = folderOf(room)
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}${name}`)
    .filter((name) => name.endsWith('.ts') && !left.test(name))
    .toSorted()
}
