# Third-party packages

The packages on the class path of the default build, with the licences that their authors state. `.ci/licences --write` makes this file. Weights and fonts inside packages have [their own licences](NOTICE).

| package | version | licence |
|---|---|---|
<#list dependencyMap as entry>
<#assign project = entry.getKey()/>
| `${project.groupId}:${project.artifactId}` | ${project.version} | ${entry.getValue()?join(", ")} |
</#list>
