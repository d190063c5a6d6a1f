{{/* Room for `-worker` and what Kubernetes adds to names of pods, in the 63 characters of a label. */}}
{{- define "logbook.name" -}}
{{- contains "logbook" .Release.Name | ternary .Release.Name (printf "%s-logbook" .Release.Name) | replace "." "-" | trunc 45 | trimSuffix "-" }}
{{- end }}

{{- define "logbook.selector" -}}
app.kubernetes.io/name: logbook
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "logbook.labels" -}}
{{ include "logbook.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "logbook.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "logbook.host" -}}
{{ (urlParse .Values.publicUrl).hostname }}
{{- end }}

{{/* The service that answers everything but what needs the history. */}}
{{- define "logbook.front" -}}
{{ include "logbook.name" . }}-{{ eq .Values.mode "distributed" | ternary "api" "worker" }}
{{- end }}

{{- define "logbook.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "logbook.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "logbook.environment" -}}
- configMapRef: { name: {{ include "logbook.name" . }} }
- secretRef: { name: {{ .Values.secretName }} }
{{- end }}

{{/* What the pods of api and worker have in common. Given: root, component, roles, resources. */}}
{{- define "logbook.pod" -}}
automountServiceAccountToken: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext: {{- include "logbook.podSecurity" . | nindent 2 }}
# More than LOGBOOK_DRAIN_SECONDS and the time in which a server ends (15 s) together.
terminationGracePeriodSeconds: 30
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "logbook.selector" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
containers:
  - name: logbook
    image: {{ include "logbook.image" .root }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    env:
      - { name: LOGBOOK_ROLES, value: {{ .roles | quote }} }
      {{- if and .root.Values.backup.enabled (eq .root.Values.mode "embedded") }}
      - { name: LOGBOOK_BACKUP_DIR, value: /backups }
      {{- end }}
    envFrom: {{- include "logbook.environment" .root | nindent 6 }}
    ports:
      - { name: http, containerPort: 8080 }
    securityContext: {{- include "logbook.containerSecurity" . | nindent 6 }}
    # For an hour: a start after two kills in a row reads a large log whole, and answers nothing meanwhile.
    startupProbe:
      httpGet: { path: /health/live, port: http, scheme: {{ empty .root.Values.tlsSecretName | ternary "HTTP" "HTTPS" }} }
      periodSeconds: 2
      timeoutSeconds: 3
      failureThreshold: 1800
    livenessProbe:
      httpGet: { path: /health/live, port: http, scheme: {{ empty .root.Values.tlsSecretName | ternary "HTTP" "HTTPS" }} }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet: { path: /health/ready, port: http, scheme: {{ empty .root.Values.tlsSecretName | ternary "HTTP" "HTTPS" }} }
      periodSeconds: 2
      timeoutSeconds: 3
      failureThreshold: 2
    resources: {{- toYaml .resources | nindent 6 }}
    volumeMounts:
      - { name: data, mountPath: /data }
      - { name: tmp, mountPath: /tmp }
      {{- if .root.Values.tlsSecretName }}
      - { name: tls, mountPath: /tls, readOnly: true }
      {{- end }}
      {{- if and .root.Values.backup.enabled (eq .root.Values.mode "embedded") }}
      - { name: backups, mountPath: /backups }
      {{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 1Gi }
  {{- if eq .component "api" }}
  # Nothing on its disk is missed when a pod goes.
  - name: data
    emptyDir: { sizeLimit: 8Gi }
  {{- end }}
  {{- with .root.Values.tlsSecretName }}
  - name: tls
    secret: { secretName: {{ . }}, defaultMode: 288 } # 0440
  {{- end }}
  {{- if and .root.Values.backup.enabled (eq .root.Values.mode "embedded") }}
  - name: backups
    persistentVolumeClaim: { claimName: {{ .root.Values.backup.claimName }} }
  {{- end }}
{{- end }}

{{/* Given: root, component. */}}
{{- define "logbook.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "logbook.name" .root }}-{{ .component }}
  labels:
    {{- include "logbook.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  selector:
    {{- include "logbook.selector" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  ports:
    - { name: http, port: {{ empty .root.Values.tlsSecretName | ternary 80 443 }}, targetPort: http }
{{- end }}
