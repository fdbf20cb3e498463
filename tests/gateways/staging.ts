import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { onTestFinished } from 'vitest'
import { makeCertificates, type Certificates } from '../../lib/http/testing/certificates.ts'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import { settingsFor } from '../support/program.ts'
import type { Gateway, RunningGateway } from './gateway.ts'

/** A service behind a gateway, and the environment variables of a run with every fixture. */
export interface Staging {
  readonly gateway: RunningGateway
  readonly settings: Readonly<Record<string, string>>
}

/** Where a gateway stands. */
interface Standing {
  readonly gateway: Gateway
  readonly service: ReferenceService
  /** {@link Gateway.hardened}, or nothing. */
  readonly more?: string
}

let made: { readonly certificates: Certificates; readonly caFile: string } | null = null

/** The private authority of a test file, and the file that holds its certificate; made once. */
export function authority(): { readonly certificates: Certificates; readonly caFile: string } {
  if (made !== null) return made

  const folder = mkdtempSync(join(tmpdir(), 'authority-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const certificates = makeCertificates()
  const caFile = join(folder, 'authority.pem')
  writeFileSync(caFile, certificates.ca)
  made = { certificates, caFile }
  return made
}

/** Puts a gateway in front of a service until the test ends. */
export async function behind(
  { gateway, service, more = '' }: Standing,
  onFinished: typeof onTestFinished,
): Promise<Staging> {
  const { certificates, caFile } = authority()
  const running = await gateway.start({ upstream: new URL(service.baseUrl).host, certificates, more })
  onFinished(() => running.close())

  return {
    gateway: running,
    settings: { ...settingsFor(service), TARGET_BASE_URL: running.baseUrl, RUN_CA_FILE: caFile },
  }
}

/** The port of an address that names one. */
export function portOf(baseUrl: string): number {
  return Number(new URL(baseUrl).port)
}

let hosts = 0

/**
 * An address of this machine that no other test listens on: a service that goes away leaves a port behind, and who listens there
 * next may be another one that answers as well.
 */
export function hostOfItsOwn(): string {
  hosts += 1
  return `127.${1 + (Math.floor(process.pid / 256) % 250)}.${process.pid % 256}.${1 + (hosts % 250)}`
}
