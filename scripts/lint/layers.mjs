// Import rules of docs/architecture.md, types included.
import path from 'node:path';

const PURE_PACKAGES = ['zod', 'geobuf', 'pbf'];

/** Folders of a layer, the layers it may import and, if restricted, its packages. */
const LAYERS = [
  { name: 'base', in: 'src/base', mayImport: [], packages: [], why: 'base knows nothing of the census' },
  {
    name: 'geo',
    in: 'src/geo',
    mayImport: ['base', 'domain'],
    packages: [],
    why: 'geometry is pure functions on coordinates',
  },
  {
    name: 'domain',
    in: 'src/domain',
    mayImport: ['base'],
    packages: PURE_PACKAGES,
    why: 'domain is the vocabulary of everything: it depends on nothing',
  },
  {
    name: 'protocol',
    in: 'src/protocol',
    mayImport: ['base', 'domain'],
    packages: PURE_PACKAGES,
    why: 'protocol is what crosses a wire, not how',
  },
  {
    name: 'imaging',
    in: 'src/imaging',
    mayImport: ['base', 'domain'],
    packages: [],
    why: 'kernels are pure functions on typed arrays',
  },
  {
    name: 'workers',
    in: 'src/workers',
    mayImport: ['base', 'imaging', 'domain'],
    why: 'a worker knows pictures, not data or screens',
  },
  {
    name: 'platform',
    in: 'src/platform',
    mayImport: ['base', 'geo', 'domain'],
    why: 'adapters know the browser, not the product',
  },
  {
    name: 'data',
    in: 'src/data',
    mayImport: ['base', 'geo', 'domain', 'protocol', 'platform', 'workers'],
    banned: ['react', 'react-dom'],
    why: 'data works without any screen',
  },
  { name: 'ui', in: 'src/ui', mayImport: ['base'], why: 'the design system has no word of the product' },
  {
    name: 'features',
    in: 'src/features',
    mayImport: ['base', 'geo', 'repositories', 'domain', 'ui', 'platform', 'workers'],
    banned: ['dexie', 'rxdb', 'socket.io-client'],
    why: 'a feature reaches data through repositories alone',
  },
  {
    name: 'routes',
    in: 'src/routes',
    mayImport: ['base', 'features', 'repositories', 'domain'],
    why: 'routes check parameters and lead on; they hold no logic',
  },
  {
    name: 'app',
    in: 'src/app',
    mayImport: [
      'base',
      'geo',
      'domain',
      'protocol',
      'imaging',
      'workers',
      'platform',
      'data',
      'repositories',
      'ui',
      'features',
      'routes',
    ],
    why: 'the composition root',
  },
  {
    name: 'server',
    in: 'src/server',
    mayImport: ['base', 'geo', 'domain', 'protocol', 'imaging'],
    why: 'what both servers share knows neither of them',
  },
  {
    name: 'sw',
    in: 'sw',
    mayImport: ['base', 'protocol', 'domain'],
    why: 'the service worker caches; it never owns data',
  },
  {
    name: 'edge-server',
    in: 'edge-server',
    mayImport: ['base', 'geo', 'domain', 'protocol', 'imaging', 'server'],
    why: 'the edge runs alone aboard',
  },
  {
    name: 'cloud-sync',
    in: 'cloud-sync',
    mayImport: ['base', 'geo', 'domain', 'protocol', 'imaging', 'server'],
    why: 'the cloud talks to an edge over HTTP alone',
  },
];

/** Only door into data for features and routes. */
const REPOSITORIES = 'src/data/repositories';

function layerOf(file) {
  return LAYERS.find((layer) => file === layer.in || file.startsWith(`${layer.in}/`));
}

/** Reason why an import is wrong, or undefined. Paths relative to the root, forward slashes. */
export function checkImport(file, specifier) {
  const from = layerOf(file);
  if (from === undefined || /\.test\.tsx?$/.test(file)) return undefined;
  if (!specifier.startsWith('.')) return checkPackage(from, specifier);
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier.replace(/\?.*$/, '')));
  const to = layerOf(target);
  if (to === undefined)
    return target.startsWith('tests/') || target.startsWith('scripts/')
      ? `product code never imports ${target.split('/')[0]}/`
      : undefined;
  if (to.name === 'features' && from.name === 'features') {
    const [mine, other] = [file, target].map((place) => place.split('/')[2]);
    if (mine === other) return undefined;
    return isFeatureIndex(target) ? undefined : `the inside of another feature (${other}) is closed: import its index`;
  }
  if (to === from) return undefined;
  if (to.name === 'features' && from.name === 'routes')
    return isFeatureIndex(target) || /\/[A-Z]\w*(Page|Host)(\.tsx)?$/.test(target)
      ? undefined
      : 'routes import a feature by its index or a lazy page';
  const inRepositories = target === REPOSITORIES || target.startsWith(`${REPOSITORIES}/`);
  const allowed = from.mayImport.includes(to.name) || (inRepositories && from.mayImport.includes('repositories'));
  return allowed ? undefined : `${from.name} may not import ${to.name}: ${from.why}`;
}

function isFeatureIndex(target) {
  return /^src\/features\/[^/]+(\/index)?(\.tsx?)?$/.test(target);
}

function checkPackage(from, specifier) {
  const name = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : specifier.split('/')[0];
  if (from.packages && !from.packages.includes(name)) return `${from.name} may not use ${name}: ${from.why}`;
  if (from.banned?.includes(name)) return `${from.name} may not use ${name}: ${from.why}`;
  return undefined;
}

const imports = {
  meta: { type: 'problem', schema: [], messages: { wrong: '{{why}}.' } },
  create(context) {
    const file = path.relative(context.cwd, context.filename).split(path.sep).join('/');
    const check = (node) => {
      const source = node.source;
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      const why = checkImport(file, source.value);
      if (why !== undefined) context.report({ node: source, messageId: 'wrong', data: { why } });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: (node) => check({ source: node.source ?? node.argument?.literal }),
    };
  },
};

export const layers = { rules: { imports } };
