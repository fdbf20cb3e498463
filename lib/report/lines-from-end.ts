import { open, stat, type FileHandle } from 'node:fs/promises'

/** How much is read at once: a few dozen runs of the history. */
const usualBlock = 256 * 1_024
const newline = 0x0a

/**
 * The lines of a file from the last to the first, so that who needs the newest only reads no more than these. Empty lines are
 * among them. Nothing where there is no such file; throws what reading it throws.
 */
export async function* linesFromEnd(
  file: string,
  blockBytes = usualBlock,
): AsyncGenerator<string, void, undefined> {
  // A pipe or a terminal would never end.
  if (!(await isFile(file))) return

  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    let end = size
    // What was read of a line whose beginning was not, in the order of the file.
    let rest: readonly Buffer[] = []
    while (end > 0) {
      const start = Math.max(0, end - blockBytes)
      const block = await blockAt(handle, start, end - start)
      let until = block.length
      for (let at = newlineBefore(block, until); at !== -1; at = newlineBefore(block, until)) {
        yield textOf([block.subarray(at + 1, until), ...rest])
        rest = []
        until = at
      }
      rest = [block.subarray(0, until), ...rest]
      end = start
    }
    if (size > 0) yield textOf(rest)
  } finally {
    await handle.close()
  }
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  )
}

async function blockAt(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start)
  return buffer.subarray(0, bytesRead)
}

/** Where the last newline before a place is; -1 where there is none. A negative place would count from the end. */
function newlineBefore(block: Buffer, until: number): number {
  return until === 0 ? -1 : block.lastIndexOf(newline, until - 1)
}

function textOf(parts: readonly Buffer[]): string {
  return Buffer.concat(parts).toString('utf8')
}
