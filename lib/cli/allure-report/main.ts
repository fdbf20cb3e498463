import { processConsole } from '../console.ts'
import { allureReport } from './command.ts'

const [folder = null, ...more] = process.argv.slice(2)
const console = processConsole()
if (more.length > 0 || folder?.startsWith('-') === true) {
  console.err('expected one reports folder or none: npm run report:allure -- FOLDER\n')
  process.exitCode = 2
} else {
  process.exitCode = await allureReport(folder, console)
}
