import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { readVerdict } from '../../verdict/read-verdict.ts'
import { previousFolder } from './reports-folder.ts'

/** Folders of earlier runs whose reports are kept, from the reports folder, by the start of the run. */
export type KeptRuns = ReadonlyMap<string, string>

/** Earlier runs whose reports stand in `previous/`. */
export async function keptRuns(folder: string): Promise<KeptRuns> {
  try {
    await access(join(folder, previousFolder, 'index.html'))
    const { startedAt } = await readVerdict(join(folder, previousFolder, 'verdict.json'))
    return new Map([[startedAt, previousFolder]])
  } catch {
    return new Map()
  }
}
