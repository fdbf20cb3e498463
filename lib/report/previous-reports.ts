import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../drift/shape.ts'
import { verdictFormat } from '../verdict/verdict.ts'

/** What a run writes, the verdict first. The history is no part of it: it outlives every run. */
export const reportNames = [
  'verdict.json',
  'index.html',
  'junit.xml',
  'summary.md',
  'allure-results',
] as const

/** The folder, within the reports folder, with the reports of the last finished run before. */
export const previousFolder = 'previous'

/** Where reports wait that are being moved. A run that is killed meanwhile leaves it to the next one. */
const movingFolder = '.previous'

/** Words of a run that came to its end; an error came to none, and says nothing about a target. */
const finished: readonly unknown[] = ['conformant', 'nonconformant', 'incomplete']

/** Whether `verdict.json` of a folder is the verdict of a run that came to its end. */
export async function holdsFinished(folder: string): Promise<boolean> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, 'verdict.json'), 'utf8'))
    return isObject(value) && value['format'] === verdictFormat && finished.includes(value['verdict'])
  } catch {
    return false
  }
}

/** Begins to move the reports of a finished run out of the way, its verdict first; {@link finishMove} ends it. */
export async function beginMove(folder: string): Promise<void> {
  await mkdir(join(folder, movingFolder), { recursive: true })
  await moved(folder, movingFolder, 'verdict.json')
}

/** Moves all other reports of the run after its verdict. */
export async function moveOthers(folder: string): Promise<void> {
  for (const name of reportNames) {
    if (name !== 'verdict.json') await moved(folder, movingFolder, name)
  }
}

/** Puts what is being moved into `previous/`, in the place of the run that is there; does nothing where no move was begun. */
export async function finishMove(folder: string): Promise<void> {
  const moving = join(folder, movingFolder)
  if (await holdsFinished(moving)) {
    const kept = join(folder, previousFolder)
    await mkdir(kept, { recursive: true })
    for (const name of reportNames) await rm(join(kept, name), { recursive: true, force: true })
    for (const name of reportNames) await moved(moving, join('..', previousFolder), name)
  }
  await rm(moving, { recursive: true, force: true })
}

async function moved(from: string, to: string, name: string): Promise<void> {
  try {
    await rename(join(from, name), join(from, to, name))
  } catch (error) {
    if (!isObject(error) || error['code'] !== 'ENOENT') throw error
  }
}
