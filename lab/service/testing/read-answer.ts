import { get } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** An answer as a client reads it: its content decoded, and parsed as JSON. */
export interface ReadAnswer {
  readonly status: number
  readonly value: unknown
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes),
  'x-gzip': (bytes) => gunzipSync(bytes),
  deflate: (bytes) => inflateSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
}

/** Asks with node's own client. Rejects where no answer comes that is JSON. */
export async function readAnswer(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<ReadAnswer> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false, maxHeaderSize: 64 * 1024 }, (response) => {
      buffer(response)
        .then((bytes) => {
          const codings = (response.headers['content-encoding'] ?? '')
            .split(', ')
            .filter((coding) => coding !== '')
          const content = codings.reduceRight<Buffer>(
            (coded, coding) => decoders[coding]?.(coded) ?? coded,
            bytes,
          )
          resolve({ status: response.statusCode ?? 0, value: JSON.parse(content.toString()) })
        })
        .catch(reject)
    }).on('error', reject)
  })
}
