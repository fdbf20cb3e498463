// Writes the bill of materials of the package (CycloneDX 1.5), from the lock file: what an installation brings. `npm sbom --omit dev`
// leaves packages out that other packages need, too.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const readJson = (file) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8'))
const { name, version, description, license } = readJson('package.json')
const { packages } = readJson('package-lock.json')

/** Path in `node_modules` and entry of each package that comes with an installation. */
const installed = Object.entries(packages).filter(
  ([path, { dev, devOptional, optional }]) => path !== '' && !dev && !devOptional && !optional,
)
const nameOf = (path) => path.replace(/^.*node_modules\//, '')
const purlOf = (of, is) => `pkg:npm/${of.replace('@', '%40')}@${is}`

/** The package that a package at this path gets by this name: the nearest one above it. */
function resolved(path, wanted) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const at = `${folder === '' ? '' : `${folder}/`}node_modules/${wanted}`
    if (packages[at] !== undefined) return purlOf(wanted, packages[at].version)
    if (folder === '') return null
  }
}

const dependsOn = (path, { dependencies = {}, peerDependencies = {} }) =>
  Object.keys({ ...dependencies, ...peerDependencies })
    .map((wanted) => resolved(path, wanted))
    .filter((purl) => purl !== null)

const root = purlOf(name, version)
const bill = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': root,
      name,
      version,
      description,
      licenses: [{ license: { id: license } }],
      purl: root,
    },
  },
  components: installed.map(([path, entry]) => ({
    type: 'library',
    'bom-ref': purlOf(nameOf(path), entry.version),
    name: nameOf(path),
    version: entry.version,
    licenses: [{ license: { id: entry.license } }],
    hashes: [
      {
        alg: 'SHA-512',
        content: Buffer.from(entry.integrity.replace('sha512-', ''), 'base64').toString('hex'),
      },
    ],
    purl: purlOf(nameOf(path), entry.version),
  })),
  dependencies: [
    { ref: root, dependsOn: dependsOn('', packages['']) },
    ...installed.map(([path, entry]) => ({
      ref: purlOf(nameOf(path), entry.version),
      dependsOn: dependsOn(path, entry),
    })),
  ],
}

const [file = 'sbom.cdx.json'] = process.argv.slice(2)
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`)
