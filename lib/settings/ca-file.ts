import { X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'

import { sizeLimits } from './bounded-file.ts'
import type { Part } from './mistake.ts'
import type { RunSettings } from './settings.ts'
import { readTextFile, whyNot } from './text-file.ts'

// Up to the next dashes and no further: a file of beginnings would be read again from each of them.
const certificates = /-----BEGIN CERTIFICATE-----(?:(?!-----)[\s\S])+-----END CERTIFICATE-----/g

/** Reads a PEM file of certificates; a private key that stands beside them is left out. */
export async function readCaFile(text: string | undefined, cwd: string): Promise<Part<RunSettings['ca']>> {
  if (text === undefined) return { value: null, mistakes: [] }

  const file = resolve(cwd, text)
  const read = await readTextFile(file, sizeLimits.certificates)
  const pem = read.kind === 'text' ? (read.text.match(certificates) ?? []).filter(isCertificate) : []
  if (pem.length > 0) return { value: { file, pem: `${pem.join('\n')}\n` }, mistakes: [] }

  const why = read.kind === 'text' ? 'a file that holds no valid certificate' : whyNot(read)
  const mistake = {
    setting: 'RUN_CA_FILE',
    given: `${text} (${why})`,
    expected: 'a PEM file with at least one certificate (-----BEGIN CERTIFICATE-----)',
    hint: read.kind === 'text' ? 'openssl x509 -inform der -in FILE turns the binary form into PEM' : null,
  }
  return { value: null, mistakes: [mistake] }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== null
  } catch {
    return false
  }
}
