/**
 * Takes interim answers (1xx) out of the bytes of a connection: a client must be able to read them before the answer that counts,
 * asked for or not, and undici refuses a 100. A 101 stays, since what follows it is no HTTP. Source: RFC 9110, 15.2.
 */
export class InterimAnswers {
  #place: 'status line' | 'interim head' | 'answer' = 'answer'
  /** The beginning of a status line that may be an interim one. */
  #held: number[] = []
  /** How many characters the line of the interim head has so far. */
  #lineLength = 0

  /** A request goes out: what comes next is a status line. */
  begin(): void {
    this.#place = 'status line'
    this.#held = []
  }

  /** What is left of the bytes that came; the end of a chunk may be held back until the next one tells what it is. */
  passed(chunk: Buffer): Buffer {
    // Nearly always, and there is nothing to look for.
    if (this.#place === 'status line' && this.#held.length === 0 && isFinal(chunk)) this.#place = 'answer'
    for (let at = 0; at < chunk.length; at += 1) {
      if (this.#place === 'answer') return at === 0 ? chunk : this.#fromHeldOn(chunk, at)
      const byte = chunk[at] ?? 0
      if (this.#place === 'interim head') this.#inInterimHead(byte)
      else this.#inStatusLine(byte)
    }
    return this.#place === 'answer' ? this.#fromHeldOn(chunk, chunk.length) : nothing
  }

  /** What was held back when no more bytes come. */
  rest(): Buffer {
    const held = Buffer.from(this.#held)
    this.#held = []
    return held
  }

  #fromHeldOn(chunk: Buffer, at: number): Buffer {
    const from = at - this.#held.length
    // Held since an earlier chunk.
    if (from < 0) return Buffer.concat([this.rest(), chunk.subarray(at)])
    this.#held = []
    return chunk.subarray(from)
  }

  #inStatusLine(byte: number): void {
    const isBefore = this.#held.every(isLineEnd)
    this.#held.push(byte)
    // Parsers pass over empty lines before an answer.
    if (isBefore && isLineEnd(byte) && this.#held.length < mostLineEnds) return

    const line = String.fromCharCode(...this.#held).trimStart()
    if (line.length < statusAt + 3) {
      if (!beginsStatusLine(line)) this.#place = 'answer'
      return
    }
    if (!isInterim(line)) {
      this.#place = 'answer'
      return
    }
    this.#held = []
    this.#lineLength = line.length
    this.#place = 'interim head'
  }

  #inInterimHead(byte: number): void {
    if (byte === lineFeed && this.#lineLength === 0) this.begin()
    else if (byte === lineFeed) this.#lineLength = 0
    else if (byte !== carriageReturn) this.#lineLength += 1
  }
}

const nothing = Buffer.alloc(0)
const [lineFeed, carriageReturn] = [0x0a, 0x0d]
const mostLineEnds = 16
const statusAt = 'HTTP/1.1 '.length

function isLineEnd(byte: number): boolean {
  return byte === lineFeed || byte === carriageReturn
}

function beginsStatusLine(line: string): boolean {
  return /^H(?:T(?:T(?:P(?:\/(?:\d(?:\.(?:\d(?: (?:1\d?)?)?)?)?)?)?)?)?)?$/.test(line)
}

function isFinal(chunk: Buffer): boolean {
  return /^HTTP\/\d\.\d [^1]/.test(chunk.toString('latin1', 0, statusAt + 1))
}

function isInterim(line: string): boolean {
  return /^HTTP\/\d\.\d 1(?!01)\d\d$/.test(line)
}
