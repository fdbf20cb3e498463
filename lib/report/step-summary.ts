import { appendFile, stat } from 'node:fs/promises'
import { bounded } from './summary-text.ts'

/** GitHub shows no summary of a step that is larger. */
const mostBytes = 1024 * 1024

/** Appends to the file in which GitHub collects the summary of a step, within its limit; gives why it could not, or null. */
export async function appendStepSummary(file: string, markdown: string): Promise<string | null> {
  try {
    const { size } = await stat(file).catch(() => ({ size: 0 }))
    const text = `${size === 0 ? '' : '\n'}${markdown}`
    const room = mostBytes - size
    if (room < leastRoom && Buffer.byteLength(text) > room) {
      return `the summary was not added to ${file} (GITHUB_STEP_SUMMARY): it is full`
    }
    await appendFile(file, bounded(text, room))
    return null
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return `the summary cannot be added to ${file} (GITHUB_STEP_SUMMARY): ${reason}`
  }
}

/** What is cut shorter says nothing. */
const leastRoom = 4_096
